/** Sorted ranges of numbers, what touches joined. */
export function rangesOf(numbers: Iterable<number>): [low: number, high: number][] {
  const ranges: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && number <= last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
