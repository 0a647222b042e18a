// The map: drawn from coordinates, without a network. A degree of longitude is as wide as it is in the middle of Iceland.
import { coast, distance, type Place, places } from "./iceland";

const x = (longitude: number) => (longitude + 25) * 42.6;
const y = (latitude: number) => (66.8 - latitude) * 100;
const points = (list: readonly (readonly [number, number])[]) => list.map(([lon, lat]) => `${x(lon)},${y(lat)}`).join(" ");

export function IcelandMap({ route }: { route: readonly Place[] }) {
  const label = route.length ? `A map of Iceland with a route: ${route.map(({ name }) => name).join(", ")}` : "A map of Iceland";
  return (
    <svg className="map" viewBox="0 0 500 360" role="img" aria-label={label}>
      <polygon points={points(coast)} />
      {places.map(({ name, at: [lon, lat] }) => (
        <circle key={name} cx={x(lon)} cy={y(lat)} r="3" />
      ))}
      <polyline pathLength="1" key={label} points={points(route.map(({ at }) => at))} />
      {route.map(({ name, at: [lon, lat] }, index) => (
        <g key={name} className="stop" transform={`translate(${x(lon)} ${y(lat)})`}>
          <circle r="10" />
          <text y="4">{index + 1}</text>
        </g>
      ))}
    </svg>
  );
}

export function Stops({ route }: { route: readonly Place[] }) {
  const legs = route.map((place, at) => (at ? distance(route[at - 1] as Place, place) : 0));
  return (
    <>
      <ol>
        {route.map(({ name, kind }, at) => (
          <li key={name}>
            {name} <span className="quiet">{kind}</span>
            {at > 0 && <span className="quiet leg">{Math.round(legs[at] ?? 0)} km</span>}
          </li>
        ))}
      </ol>
      <p className="quiet">{Math.round(legs.reduce((sum, leg) => sum + leg, 0))} km as a bird flies</p>
    </>
  );
}
