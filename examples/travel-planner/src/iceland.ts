// Places of Iceland with where they are, and its coast: longitude and latitude, from which the map is drawn.
export interface Place {
  readonly name: string;
  readonly kind: (typeof kinds)[number] | "town";
  readonly at: readonly [longitude: number, latitude: number];
}

export const places: readonly Place[] = [
  { name: "Reykjavík", kind: "town", at: [-21.94, 64.15] },
  { name: "Gullfoss", kind: "waterfalls", at: [-20.12, 64.33] },
  { name: "Skógafoss", kind: "waterfalls", at: [-19.51, 63.53] },
  { name: "Jökulsárlón", kind: "glaciers", at: [-16.21, 64.05] },
  { name: "Dettifoss", kind: "waterfalls", at: [-16.38, 65.81] },
  { name: "Mývatn baths", kind: "hot springs", at: [-16.85, 65.63] },
  { name: "Húsavík", kind: "whales", at: [-17.34, 66.04] },
  { name: "Snæfellsjökull", kind: "glaciers", at: [-23.77, 64.81] },
];

export const kinds = ["waterfalls", "whales", "hot springs", "glaciers"] as const;

// biome-ignore format: a list of points.
export const coast: readonly (readonly [number, number])[] = [
  [-22.7, 63.81], [-21.2, 63.83], [-20.3, 63.55], [-19.0, 63.4], [-18.0, 63.47], [-17.0, 63.79], [-16.1, 64.02], [-15.2, 64.25], [-14.6, 64.45],
  [-13.9, 64.8], [-13.55, 65.1], [-13.8, 65.5], [-14.4, 65.75], [-14.8, 66.05], [-14.7, 66.35], [-15.7, 66.2], [-16.1, 66.5], [-17.0, 66.2],
  [-17.6, 65.98], [-18.2, 66.17], [-18.1, 65.75], [-18.8, 66.15], [-19.4, 66.05], [-19.6, 65.75], [-20.3, 65.73], [-20.3, 66.08], [-21.1, 65.5],
  [-21.4, 65.45], [-21.4, 66.0], [-22.4, 66.45], [-23.1, 66.3], [-23.8, 66.05], [-24.0, 65.75], [-24.5, 65.5], [-23.2, 65.48], [-22.3, 65.6],
  [-21.8, 65.45], [-22.2, 65.2], [-21.8, 65.05], [-22.7, 65.0], [-23.9, 64.9], [-23.9, 64.75], [-22.4, 64.75], [-21.8, 64.4], [-22.0, 64.15],
  [-22.6, 64.05],
];

const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** Kilometres over the ground, as a bird flies. */
export function distance({ at: [x1, y1] }: Place, { at: [x2, y2] }: Place): number {
  const half = (one: number, other: number) => Math.sin(radians(other - one) / 2) ** 2;
  const chord = half(y1, y2) + Math.cos(radians(y1)) * Math.cos(radians(y2)) * half(x1, x2);
  return 12_742 * Math.asin(Math.sqrt(chord));
}

/** From the first on, always to the nearest that is left. */
export function inOrder([first, ...rest]: readonly Place[]): readonly Place[] {
  if (!first) return [];
  const [next] = rest.toSorted((one, other) => distance(first, one) - distance(first, other));
  return next ? [first, ...inOrder([next, ...rest.filter((place) => place !== next)])] : [first];
}
