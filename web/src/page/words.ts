/** Figures as people read them. */

/** A time, with a tenth where it is short. */
export const milliseconds = (value: number): string =>
  value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value).toLocaleString("en")} ms`;

/** Millions of bytes. */
export const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

/** A whole number, its thousands set apart. */
export const whole = (value: number): string => value.toLocaleString("en");

/** A number with its noun. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${whole(count)} ${count === 1 ? one : many}`;
}
