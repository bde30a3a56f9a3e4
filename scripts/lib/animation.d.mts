export function animate(frames: readonly { readonly png: Buffer; readonly ms: number }[]): Buffer;
export function chunksOf(png: Buffer): { readonly type: string; readonly data: Buffer }[];
