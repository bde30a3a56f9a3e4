/** The schemas that come with the page, each with a request to begin with. */

import contact from "../../../grammars/contact.schema.json?raw";
import flights from "../../../grammars/flights.schema.json?raw";
import restaurants from "../../../grammars/restaurants.schema.json?raw";
import snips from "../../../grammars/snips.schema.json?raw";

/** A schema with an example. */
export interface Preset {
  readonly id: string;
  readonly title: string;
  readonly schema: string;
  readonly request: string;
}

export const PRESETS: readonly Preset[] = [
  {
    id: "snips",
    title: "Voice assistant",
    schema: snips,
    request: "give the novel Salt and Thunder four out of six stars",
  },
  {
    id: "restaurants",
    title: "Restaurants",
    schema: restaurants,
    request: "I'd like Ethiopian food in Lisbon",
  },
  {
    id: "flights",
    title: "Flights",
    schema: flights,
    request: "I want to fly from Reykjavik to Nairobi on March 3rd",
  },
  {
    id: "contact",
    title: "Contact card",
    schema: contact,
    request: "Save Ada Obi as a friend from work, she is 36 and wants the newsletter in French.",
  },
];
