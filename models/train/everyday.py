"""Requests as people put them, each with a schema that fits: some hundred sentences with holes.

The records of `synthetic.py` say which words are of which key, in any order. People do not: that a
word behind "with Dr." is a doctor and one behind "in" a room has to be known from the sentence.
A sentence here is a line of this notation, from which a schema, a request and a value are drawn:

    {city:destination/to}          a hole: kind of value, and the keys it may go by
    {=size:small|large}            one of an enum, said as it stands
    {?breakfast:with breakfast|no breakfast}   a flag, said when true and when false
    {*first:guests}                an array of strings
    {#food:items,name,count}       an array of objects, text and number: `two figs and 3 pears`
    <passenger:{person:name}...>   an object
    [, at {time:when}]             said or not; what is not said is in the schema all the same

Kinds are those of the pools, the word lists below, and `int`, `year`, `num`, `price`, `date`,
`time`. None of these sentences is of `own-requests.jsonl`, nor of its occasions.
"""

import re

from synthetic import AMOUNTS, NUMBERS, camel, held_out, listed, object_schema

WORDS = {
    "food": "apples pears figs bread rice noodles cheese butter eggs tomatoes onions carrots salmon tofu lentils "
            "mushrooms olives spinach yoghurt honey almonds flour sugar potatoes chicken lemons garlic beans",
    "dish": "lasagne|pad thai|goulash|paella|ramen|falafel wrap|margherita pizza|caesar salad|beef stew|miso soup|"
            "fish and chips|vegetable curry|cheese omelette|club sandwich|pumpkin risotto|tacos|spring rolls",
    "animal": "dog cat rabbit hamster parrot pony goat hen turtle ferret horse donkey lizard duck sheep",
    "sport": "tennis squash judo rowing chess volleyball badminton fencing climbing swimming handball golf",
    "device": "laptop|coffee machine|router|washing machine|projector|tablet|scanner|dishwasher|monitor|heater|"
              "vacuum cleaner|phone|camera|fridge|thermostat|toaster",
    "room": "kitchen|bedroom|office|basement|living room|bathroom|attic|garage|lobby|lab 3|room 12|studio|cellar",
    "issue": "a flat tyre|a broken window|no hot water|a strange noise|a leak|a cracked screen|low battery|"
             "a loose wheel|error 502|smoke|a missing key|slow loading|a torn cover|mould",
    "task": "paint the fence|feed the fish|book the hall|print the flyers|clean the gutters|renew the passport|"
            "buy stamps|mow the lawn|review the draft|pack the boxes|update the slides|wash the car|sort the mail|"
            "return the books|fix the shelf|order new chairs",
    "subject": "algebra biology history physics Latin chemistry geography drawing statistics grammar botany",
    "plant": "roses tulips lavender cucumbers peas pumpkins radishes mint parsley sunflowers beans leeks",
    "instrument": "violin cello piano guitar flute trumpet drums harp clarinet ukulele organ",
    "tool": "drill ladder chainsaw wheelbarrow sander tent trailer generator hammer kayak mixer",
    "symptom": "a sore throat|headache|a rash|back pain|fever|dizziness|a swollen ankle|nausea|a cough|insomnia",
    "drug": "ibuprofen aspirin amoxicillin paracetamol insulin cetirizine metformin codeine magnesium",
    "vehicle": "van|truck|red bus|taxi|motorbike|minivan|electric scooter|convertible|tram|lorry|bicycle",
    "material": "oak steel linen cotton glass marble leather copper wool brass clay walnut silk granite",
    "genre": "jazz techno folk opera blues reggae metal disco soul ambient",
    "field": "medicine law design finance robotics journalism nursing logistics",
    "club": "Rovers|United|the Hawks|Dynamo|Real Norte|FC Lund|the Bears|Wanderers|Olympia|Blue Stars|City",
}  # fmt: skip
NAMED = "person first city country street zip company job email phone url color code reference plate title phrase word"

SENTENCES = """
book a flight from {city:origin/from/departure_city} to {city:destination/to/arrival_city}[ on {date:date/departure}][ for {int:passengers/people/adults}][, {=class:economy|business|first}][, {?window/window_seat:window seat please|aisle is fine}]
I need a {=type/room_type:single|double|family} room in {city:city/location} from {date:check_in/arrival} to {date:check_out/departure}[, {?breakfast:with breakfast|without breakfast}]
table for {int:guests/people/party_size} at {company:restaurant/place}[ at {time:time/when}][ on {date:date/day}][, name is {person:name/booked_by}][, {?outside/terrace:outside|inside}]
{first:student/pupil/name} got {int:points/score/grade} points in {subject:subject/course}[ on {date:date/exam_date}][, {=result:passed|failed}]
{first:driver/who} filled up {num:liters/litres/amount} liters at {price:price/cost} in {city:city/place}[, odometer {int:odometer/km/mileage}]
invoice {reference:invoice/number/invoice_number} from {company:vendor/supplier/from} over {price:total/amount/sum}, due {date:due/due_date/deadline}[, {?paid:already paid|not paid yet}]
my {animal:animal/species/kind} {first:name/pet/pet_name} has {symptom:symptom/problem/complaint}[ since {date:since/start}][, weighs {num:weight/kg} kilos]
appointment with Dr. {person:doctor/physician} for {person:patient/name} at {time:time/at}[ on {date:date/day}][, because of {symptom:reason/complaint}]
take {int:dose/tablets/count} tablets of {drug:drug/medicine/medication} {=frequency/how_often:daily|weekly|hourly}[, {=when/meal:before|after} meals]
{person:patient/name} is allergic to {food:allergy/allergen}[ and takes {drug:medication/drug}][, last seen {date:last_visit/visited}]
the {device:device/appliance/machine} in the {room:room/location/where} has {issue:issue/problem/fault}[, {=priority/urgency:low|normal|high}]
set the {device:device/appliance} in the {room:room/area} to {int:level/value/target}[ at {time:time/at}]
switch {=state/power:on|off} the {device:device/appliance}[ in the {room:room}][ at {time:at/time}]
sensor {code:sensor/id/sensor_id} reads {num:value/reading/temperature} degrees[ in the {room:room/location}][ at {time:time/measured_at}]
{first:runner/name/athlete} ran {num:distance/km} km in {int:minutes/duration} minutes[ on {date:date/day}][, {=weather:sun|rain|wind}]
{club:home/home_team} beat {club:away/away_team/guest} {int:home_score/home_goals} to {int:away_score/away_goals}[ in {city:city/venue}]
{club:home/team_a} against {club:away/team_b} at {time:kickoff/time}[ in {city:city/place}][, {int:spectators/crowd} spectators]
play {sport:sport/game} with {first:partner/with/opponent}[ at {time:time/start}][ in {city:place/city/where}]
{first:winner/player} won against {first:loser/opponent} in {int:moves/rounds} moves[, opening {word:opening}]
sign up {person:name/participant} for the {subject:course/class} course[ on {=day/weekday:Monday|Tuesday|Wednesday|Thursday|Friday}][, {=level:beginner|intermediate|advanced}]
{instrument:instrument} lesson for {first:student/pupil} with {person:teacher/tutor}[ at {time:time/at}][, {int:minutes/length} minutes]
return {title:book/title} by {person:author/writer} by {date:due/return_by}
reserve the book {title:title/book}[ by {person:author}][ for {first:reader/member}][, pick up in {city:branch/library}]
I give {title:movie/film/title} {int:stars/rating} stars[, {=verdict/opinion:boring|okay|great}][, saw it in {city:city/cinema}]
two thumbs up for {title:title/show} with {person:actor/starring}[, {int:seasons} seasons][, {genre:genre/music} music]
the concert of {company:band/artist} is in {city:city/venue} on {date:date/day}[, tickets {price:price/ticket_price}]
put on some {genre:genre/style}[ in the {room:room}][ at volume {int:volume/level}]
buy {#food:items/groceries/list,name/item/product,count/quantity}[ at {company:shop/store}]
I bought {#food:items/products,name/item,quantity/count} for {price:total/price}
shopping list: {*food:items/list/groceries}[, budget {price:budget/max}]
order {#dish:order/dishes/items,dish/name,count/quantity}[ for table {int:table/table_number}][, {?takeaway/to_take_away:take away|eat here}]
one {dish:dish/meal/main} for {first:guest/customer}[, {=spice/heat:mild|medium|hot}][, {?vegetarian:vegetarian|not vegetarian}]
I'd like the {dish:dish/order} with {food:side/extra}[ and without {food:without/leave_out}][ at {time:time/delivery_time}]
bring the {dish:dish/food} to {street:address/street}[, {first:name/customer}][, call {phone:phone/number}]
for the {dish:recipe/dish} you need {*food:ingredients/items}[ and {int:minutes/time/duration} minutes][, serves {int:servings/people}]
bake at {int:temperature/degrees} degrees for {int:minutes/time} minutes[, with {food:ingredient/main_ingredient}]
we are {int:people/headcount/guests} people and bring {food:bring/contribution}[, arriving at {time:arrival/time}]
{*first:guests/attending/who} will come to the party[, {*first:absent/declined} won't]
invite {*first:guests/invitees/people} to {title:event/title}[ on {date:date}][ in {city:city/place}]
{first:host/who} invites {first:guest/invitee} to {company:place/venue} at {time:time}
please {task:task/todo/what}[ before {time:before/deadline}][ in the {room:where/room}]
{first:assignee/who/person} should {task:task/todo/job}[ by {date:due/by/deadline}][, {=priority:low|medium|high} priority]
{first:from/giver} asks {first:to/helper} to {task:task/favor}[ on {=day:Monday|Tuesday|Friday|Saturday|Sunday}]
I finished to {task:task/done} in {int:minutes/duration} minutes[, next is to {task:next/then}]
call {person:contact/name/who} at {phone:phone/number}[ about {phrase:topic/about/subject}]
email {email:to/recipient/email} about {phrase:subject/about/topic}[ and copy {email:cc/copy}]
forward the mail from {person:from/sender} to {email:to/recipient}
{person:name/contact}, {job:job/role/position} at {company:company/employer}[, reach them at {email:email/mail}][ or {phone:phone/mobile}]
hi, I'm {first:name/first_name} from {city:city/hometown/from}[, I work as {job:job/occupation}][ and I'm {int:age/years}]
{person:name/employee} joins {company:company/employer} as {job:position/job/title}[ on {date:start/start_date}][, salary {int:salary/pay}]
we hire a {job:position/job/role} in {city:location/city}[, {int:hours/weekly_hours} hours a week][, {?remote:remote possible|on site only}]
{person:applicant/candidate} applied for {job:position/role}[, {int:experience/years} years in {field:field/area}]
{first:employee/who} is on vacation from {date:from/start} to {date:to/until/end}[, {first:substitute/cover/stand_in} covers]
{first:employee/name} worked {num:hours/time} hours on {title:project/task}[ on {date:date/day}]
the train to {city:destination/to} leaves at {time:departure/time} from platform {int:platform/track}[, {int:delay/late} minutes late]
take the {vehicle:vehicle/transport/by} from {city:from/start/origin} to {city:to/destination/end}[ at {time:time/departure}]
pick me up at {street:address/pickup/from} at {time:time/when}[ and drop me in {city:destination/to}][, {int:bags/luggage} bags]
a {color:color/colour} {vehicle:vehicle/type} with plates {plate:plate/license/plates}[ was parked at {street:address/location/where}]
my {vehicle:vehicle/car/type} has {issue:issue/damage/problem}[, {int:mileage/km} km on the clock][, built {year:year/built}]
rent a {tool:tool/item/equipment} for {int:days/duration} days[ from {date:from/start}][, {price:deposit} deposit]
I lend {first:to/borrower} my {tool:item/tool/what}[ until {date:until/return_by}]
{first:borrower/who} borrowed the {tool:tool/item} from {first:owner/lender}
flat in {city:city/location} with {int:rooms/bedrooms} rooms and {num:area/size/square_meters} square meters[ for {price:rent/price}][, {?balcony:with balcony|no balcony}][, {?pets/pets_allowed:pets welcome|no pets}]
house at {street:address/street} in {city:city/town}[, built in {year:year/built}][, asking {price:price/asking}]
{person:tenant/name} moves into {street:address/apartment} on {date:date/move_in}[, rent {price:rent}]
a {material:material/made_of} {tool:item/object/thing} in {color:color/finish} for {price:price/cost}[, {=condition:new|used|damaged}]
selling {int:quantity/pieces/count} meters of {material:material/fabric} at {price:price/each} each[, pick up in {city:city/pickup}]
looking for a {material:material} table in {color:color}[, at most {price:budget/max_price}][, {num:width/length} meters wide]
plant {plant:plant/what/crop} in {=month:March|April|May|June}[, {num:spacing/distance} cm apart][, {=light:sun|shade}]
harvested {num:kilos/weight/amount} kilos of {plant:crop/plant/vegetable}[ on {date:date/day}][ in bed {int:bed/plot}]
{animal:animal/species} {first:name} was born in {year:born/year}[ and belongs to {person:owner/keeper}][, {=sex:male|female}]
lost: {color:color/colour} {animal:animal/pet}, answers to {first:name/called}[, call {phone:phone/contact}][, last seen in {city:where/last_seen}]
feed the {animal:animal/who} {int:times/times_a_day} times a day[ with {food:food/what}]
order {reference:order/order_number/id} arrives on {date:arrival/delivery_date/expected}[ with {company:carrier/courier}][, {=status/state:packed|sent|delayed}]
where is {reference:tracking_number/parcel/code}[, sent to {zip:zip/postcode}][ on {date:sent/date}]
refund {price:amount/refund} for order {reference:order/order_id}[, because it has {issue:reason/defect}]
I want to exchange the {device:product/item} from {company:shop/seller}[, bought {date:bought/purchase_date}][, it has {issue:defect/issue}]
{person:customer/client} paid {price:amount/sum/paid} by {=method/payment:cash|card|check}[ on {date:date}][ for {reference:invoice/order}]
spent {price:amount/cost} on {food:what/item/on}[ at {company:shop/store/where}][, paid by {=paid_by/method:cash|card}]
{first:debtor/from/who} owes {first:creditor/to/whom} {price:amount/debt}[ for {dish:for/reason}]
split {price:total/bill} between {*first:people/friends/between}[, tip {int:tip/percent} percent]
donate {price:amount/donation} to {company:charity/to/organization}[ {=frequency:once|monthly|yearly}]
exchange {int:amount/sum} {=from/from_currency:EUR|USD|GBP|JPY} into {=to/to_currency:CHF|SEK|CAD|NOK}
change the password of {email:account/user/email}[, {?admin:admin rights|no admin rights}]
user {first:user/username} from {country:country} logged in at {time:time/login}[ using {device:device}]
{url:site/website/url} has been down since {time:since/from}[ with {issue:error/problem}][, {=severity:minor|major|critical}]
version {num:version/release} of {company:product/software} comes out on {date:date/release_date}[, {?beta:beta|not a beta}]
backup of {code:server/host/machine} took {int:minutes/duration} minutes[ and {num:size/gigabytes} GB][, {=status/result:ok|failed}]
the file {word:file/name} is {num:size/megabytes} MB and belongs to {first:owner/user}
it will be {=weather/sky/condition:sunny|cloudy|rainy|stormy} in {city:city/place} with {int:temperature/high/degrees} degrees[ on {date:date/day}]
{num:rain/millimeters} mm of rain in {city:city/station}[ at {time:time}][, wind from the {=wind/direction:north|south|east|west}]
{country:country/name} has {int:population/people} million people, capital {city:capital}[, {=continent:Europe|Asia|Africa|America}]
{company:company/name}, founded {year:founded/year} in {city:city/headquarters/seat}[ by {person:founder}][, {int:employees/staff} employees]
{person:author/writer/name} wrote {title:title/book/work} in {year:year/published}[, {int:pages/length} pages]
{title:title/painting/work} by {person:painter/artist}, {year:year/painted}[, {material:material/on}][, {num:height/width} cm]
{title:album/record} by {company:artist/band} has {int:tracks/songs} tracks[, {genre:genre}][, out since {year:year/released}]
{person:speaker/who} talks about {phrase:topic/title/subject} in {room:room/hall} at {time:time/start}[, {int:minutes/duration} minutes]
the exam in {subject:subject/exam} is on {date:date/when} in {room:room/where}[ at {time:time/start}]
{first:teacher/tutor} teaches {subject:subject/course} in {=day/weekday:Monday|Tuesday|Thursday} period {int:period/lesson}
member {int:member/number/id}: {person:name/member_name}[, joined {date:joined/since}][, {?active:active|no longer active}]
{person:voter/name/who} votes {=vote/choice:yes|no|abstain} on {phrase:motion/proposal/topic}
{person:name/guest}, room {int:room/room_number}, wants to be woken at {time:wake_up/time}[ and needs {food:request/needs}]
the delivery for {person:recipient/customer/for} at {street:address/street}, {zip:zip/postcode} {city:city/town}[ comes at {time:time/eta}]
new address: <address/new_address/home:{street:street/road}, {city:city/town}{zip:zip/postcode}>[ from {date:from/since}]
customer <customer/client/buyer:{person:name/full_name}, {email:email/mail}> wants {int:quantity/pieces/count} {tool:product/item}s
passenger <passenger/traveler:{person:name}, born {date:born/birthday}> flies to {city:destination/to}[ with {company:airline/carrier}]
<driver/rider:{first:name}, {int:age/years} years old> and <vehicle/car:a {color:color/colour} {vehicle:type/kind}, {plate:plate/plates}>
from <from/start/origin:{city:city/town} at {time:time/at}> to <to/end/destination:{city:city/town} at {time:time/at}>[ by {vehicle:by/vehicle}]
contact <contact/person:{first:first_name/first/name}, {phone:phone/mobile}> about the {device:device/product}[ with {issue:issue/problem}]
meet <host/contact/with:{person:name/who} of {company:company/firm}> at {time:time/at}[ on {date:date/day}]
parts: {#tool:parts/items/lines,part/name,quantity/count}[, ship by {date:ship_by/due}]
team of {first:lead/captain/leader} with {*first:members/team/players}[, plays {sport:sport}]
colors {*color:colors/palette}[ on {material:material/surface}][ for {first:client/for}]
stops in {*city:stops/cities/via}[, then back to {city:end/home}][, by {vehicle:vehicle/by}]
I know {*subject:skills/subjects/topics} and play the {instrument:instrument}
we grow {*plant:crops/plants}[ on {num:area/hectares} hectares][ near {city:location/city}]
scores were {first:a/first/player_one} {int:score_a/points_one} and {first:b/second/player_two} {int:score_b/points_two}
change {first:old_name/old/from} to {first:new_name/new/to}[ in {reference:document/file}]
replace the {food:old/remove/from} with {food:new/add/to}[ in the {dish:dish/recipe}]
not {color:not/avoid} but {color:color/use/instead} for the {room:room/where}
between {time:from/start} and {time:to/end}[ the {room:room/space} is taken by {first:by/who}]
{first:name/child} is {int:age/years} and likes {*sport:likes/hobbies}[, dislikes {food:dislikes}]
weigh {num:weight/grams} grams of {food:ingredient/what} and add {int:spoons/count} spoons of {food:add/other}
""".strip().splitlines()

HOLE = re.compile(r"\{(?P<mark>[=?*#]?)(?P<kind>[\w/]*):(?P<rest>[^}]*)\}")
OPENINGS = ("", "", "", "", "", "hey, ", "hi! ", "please note: ", "ok, ", "so: ", "today: ", "can you note that ")
ENDINGS = ("", "", "", ".", ".", "!", ", please", " thanks", ", thank you")


class Everyday:
    """Draws requests; `invented()` gives text of no sense, which can only be copied."""

    def __init__(self, pools, invented):
        split = lambda text: text.split("|" if "|" in text else None)  # noqa: E731
        self.values = {**{kind: pools[kind] for kind in NAMED.split()}, **{k: split(v) for k, v in WORDS.items()}}
        self.pools, self.invented = pools, invented

    def draw(self, rng, evaluation=False):
        """(schema, request, value)."""
        while True:
            style = rng.choice((str, str, str, str, camel, str.upper, str.title))
            properties, value = {}, {}
            sentence = rng.choice(SENTENCES)
            if rng.random() < 0.06:
                sentence = sentence.replace(", ", " ")
            request = self.said(rng, sentence, properties, value, style)
            schema = self.schema(rng, properties, value)
            if request and held_out(schema) == evaluation:
                break
        request = rng.choice(OPENINGS) + request + rng.choice(ENDINGS)
        if rng.random() < 0.4:
            request = request[:1].upper() + request[1:]
        ordered = {key: value[key] for key in schema["properties"] if key in value}
        return schema, request, ordered

    def schema(self, rng, properties, value):
        """The properties in any order, now and then with one that the request has nothing of."""
        if rng.random() < 0.25:
            other = rng.choice(AMOUNTS) if rng.random() < 0.5 else rng.choice(self.pools["word"]).lower()
            properties.setdefault(other, {"type": rng.choice(("string", "string", "number", "boolean"))})
        keys = list(properties)
        rng.shuffle(keys)
        return object_schema({k: properties[k] for k in keys}, [k for k in keys if k in value and rng.random() < 0.35])

    def said(self, rng, sentence, properties, value, style):
        """The request; fills in the properties and what is said of them. Nothing where two holes
        came by one key."""
        out, clash = "", False
        for part in re.split(r"(\[[^\]]*\])", sentence):
            optional = part.startswith("[")
            spoken_of = not optional or rng.random() < 0.6
            part = part.strip("[]") if optional else part
            for piece in re.split(r"(<[^>]*>|\{[^}]*\})", part):
                if piece[:1] in ("<", "{"):
                    keys, schema, found, text = self.group(rng, piece) if piece[0] == "<" else self.hole(rng, piece)
                    key = style(self.key(rng, keys))
                    clash |= key in properties
                    properties[key] = schema
                    if spoken_of:
                        value[key] = found
                else:
                    text = piece
                out += text if spoken_of else ""
        return None if clash or out.count('"') else out

    def key(self, rng, keys):
        """Mostly the first."""
        keys = keys.split("/")
        return keys[0] if rng.random() < 0.4 else rng.choice(keys)

    def group(self, rng, piece):
        keys, inner = piece[1:-1].split(":", 1)
        properties, value = {}, {}
        text = self.said(rng, inner, properties, value, str)
        if text is None:
            return self.group(rng, piece)
        return keys, object_schema(properties, [k for k in properties if rng.random() < 0.4]), value, text

    def hole(self, rng, piece):
        """(keys, schema, value, the words that say it)."""
        mark, kind, rest = HOLE.fullmatch(piece).group("mark", "kind", "rest")
        if mark == "=":
            options = rest.split("|")
            said = rng.choice(options)
            keep = [o for o in options if o == said or rng.random() < 0.85]
            rng.shuffle(keep)
            return kind, {"enum": keep}, said, said
        if mark == "?":
            found = rng.random() < 0.5
            return kind, {"type": "boolean"}, found, rest.split("|")[0 if found else 1]
        if mark == "*":
            found = [self.text(rng, kind) for _ in range(rng.randint(1, 4))]
            return rest, {"type": "array", "items": {"type": "string"}}, found, listed(rng, found)
        if mark == "#":
            return self.rows(rng, kind, rest)
        return (rest, *self.plain(rng, kind))

    def rows(self, rng, kind, rest):
        keys, name, number = rest.split(",")
        name, number = self.key(rng, name), self.key(rng, number)
        parts = {name: {"type": "string"}, number: {"type": "integer"}}
        order = rng.sample(sorted(parts), 2)
        item = object_schema({k: parts[k] for k in order}, [k for k in order if rng.random() < 0.8])
        found, said = [], []
        for _ in range(rng.randint(1, 3)):
            count, text = rng.randint(1, 12), self.text(rng, kind)
            found.append({k: text if k == name else count for k in order})
            said.append(f"{NUMBERS[count] if rng.random() < 0.5 else count} {text}")
        return keys, {"type": "array", "items": item}, found, listed(rng, said)

    def text(self, rng, kind):
        return self.invented(rng) if rng.random() < 0.12 else rng.choice(self.values[kind])

    def plain(self, rng, kind):
        """(schema, value, the words that say it)."""
        if kind == "int":
            value = rng.choice((rng.randint(1, 12), rng.randint(2, 60), rng.randint(1, 400)))
            return {"type": "integer"}, value, NUMBERS[value] if value <= 12 and rng.random() < 0.4 else str(value)
        if kind == "year":
            value = rng.randint(1650, 2026)
            return {"type": "integer"}, value, str(value)
        if kind == "num":
            value = rng.choice((round(rng.uniform(0.1, 10), 1), round(rng.uniform(1, 300), 1), rng.randint(1, 200)))
            return {"type": "number"}, value, f"{value}"
        if kind == "price":
            value = rng.choice((round(rng.uniform(1, 100), 2), rng.randint(1, 900), rng.randint(1, 60)))
            before, after = rng.choice((("$", ""), ("", " euros"), ("", ""), ("", " dollars"), ("€", ""), ("", " pounds")))
            return {"type": "number"}, value, f"{before}{value}{after}"
        if kind == "date":
            value = f"{rng.randint(1960, 2032)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
            return {"type": "string", "format": "date"}, value, value
        if kind == "time":
            value = f"{rng.randint(0, 23):02}:{rng.choice((0, 15, 30, 45, rng.randint(0, 59))):02}"
            return {"type": "string", "format": "time"}, value, value
        return {"type": "string"}, (text := self.text(rng, kind)), text
