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
    request: "put the new Nina Simone record on my Sunday Kitchen playlist",
  },
  {
    id: "restaurants",
    title: "Restaurants",
    schema: restaurants,
    request: "Could you book a table for four at an Ethiopian place in Lisbon, tomorrow at 8 pm?",
  },
  {
    id: "flights",
    title: "Flights",
    schema: flights,
    request:
      "I need a Business seat from Reykjavik to Nairobi on March 3rd, coming back on the 12th.",
  },
  {
    id: "contact",
    title: "Contact card",
    schema: contact,
    request: "Save Ada Obi as a friend from work, she is 36 and wants the newsletter in French.",
  },
];
