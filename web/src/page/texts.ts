/**
 * The texts that a grammar may mean by name: the request, for `x-spanOf` of a schema and for
 * `%slot` of a Lark grammar, whose slots are in capitals.
 */
export const textsOf = (request: string) => ({ request, REQUEST: request });
