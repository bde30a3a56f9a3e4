/**
 * Standard Schema (standardschema.dev), as far as it is used here: what validators such
 * as zod, Valibot and ArkType have in common.
 */

/** A validator that says what it takes and gives. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": StandardProperties<Input, Output>;
}

/** What a validator tells and does. */
export interface StandardProperties<Input = unknown, Output = Input> {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  /** Standard JSON Schema, where the validator has it. */
  readonly jsonSchema?:
    | { readonly input: (options: { readonly target: string }) => Record<string, unknown> }
    | undefined;
}

/** What came of validating. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One reason why a value is refused. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a validator gives. */
export type StandardOutput<Schema extends StandardSchema> = NonNullable<
  Schema["~standard"]["types"]
>["output"];

/** Whether a value is a validator. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const { "~standard": standard } = value as Partial<StandardSchema>;
  return typeof standard?.validate === "function";
}
