// Three cities, drawn small: what there is to see, where it lies on the map, and how long one stays.
export const kinds = ["food", "art", "nature", "views"] as const;
export type Kind = (typeof kinds)[number];

export interface Place {
  readonly id: string;
  readonly name: string;
  readonly kind: Kind;
  /** Minutes. */
  readonly stay: number;
  readonly euros: number;
  /** On a map of 100 by 60. */
  readonly x: number;
  readonly y: number;
}

type Row = readonly [name: string, kind: Kind, stay: number, euros: number, x: number, y: number];

const lisbon: readonly Row[] = [
  ["Tile museum", "art", 90, 8, 84, 18],
  ["Market hall", "food", 60, 18, 40, 46],
  ["Castle hill", "views", 75, 15, 60, 24],
  ["Botanical garden", "nature", 60, 5, 36, 16],
  ["Modern art centre", "art", 90, 10, 22, 8],
  ["Custard bakery", "food", 30, 4, 8, 50],
  ["Miradouro terrace", "views", 45, 0, 48, 28],
  ["River walk", "nature", 75, 0, 24, 54],
  ["Fado tavern", "food", 120, 35, 66, 34],
];

const kyoto: readonly Row[] = [
  ["Moss garden", "nature", 60, 12, 10, 44],
  ["Bamboo path", "nature", 45, 0, 6, 24],
  ["Print museum", "art", 75, 8, 46, 16],
  ["Noodle alley", "food", 60, 14, 56, 34],
  ["Tea house", "food", 60, 16, 78, 40],
  ["Lantern gate", "views", 45, 0, 70, 52],
  ["Kimono studio", "art", 60, 20, 38, 30],
  ["Hilltop pagoda", "views", 60, 5, 84, 26],
];

const oslo: readonly Row[] = [
  ["Opera roof", "views", 45, 0, 58, 40],
  ["Painter's museum", "art", 90, 16, 64, 46],
  ["Sculpture park", "art", 75, 0, 24, 14],
  ["Fjord ferry", "nature", 90, 6, 44, 54],
  ["Food hall", "food", 60, 22, 46, 30],
  ["Forest lake", "nature", 120, 0, 52, 6],
  ["Harbour sauna", "nature", 90, 25, 52, 46],
  ["Cinnamon bakery", "food", 30, 6, 36, 22],
  ["Ski tower", "views", 60, 14, 12, 4],
];

const placesOf = (city: string, rows: readonly Row[]): readonly Place[] =>
  rows.map(([name, kind, stay, euros, x, y], at) => ({ id: `${city.toLowerCase()}-${at + 1}`, name, kind, stay, euros, x, y }));

export const cities = { Lisbon: placesOf("Lisbon", lisbon), Kyoto: placesOf("Kyoto", kyoto), Oslo: placesOf("Oslo", oslo) };
export type City = keyof typeof cities;
export const cityNames = Object.keys(cities) as [City, ...City[]];

const byId = new Map(Object.values(cities).flatMap((places) => places.map((place) => [place.id, place] as const)));

export const placeOf = (id: string): Place | undefined => byId.get(id);

/** The weather of the next days, as unreliable as any. */
export const weather: Readonly<Record<City, readonly string[]>> = {
  Lisbon: ["sun, 22°", "sun, 24°", "wind, 20°"],
  Kyoto: ["cloud, 18°", "sun, 21°", "rain, 16°"],
  Oslo: ["rain, 9°", "sun, 12°", "cloud, 11°"],
};
