// Bars, drawn by hand: one for each turn or step, with two parts.
export interface Bar {
  readonly name: string;
  readonly value: number;
  /** The part above it. */
  readonly also?: number;
}

interface BarsProps {
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
  readonly parts: readonly [string, string];
}

const width = 320;
const height = 72;
const shown = 32;

export function Bars({ title, unit, bars: all, parts }: BarsProps) {
  const bars = all.slice(-shown);
  const most = Math.max(1, ...bars.map(sum));
  const step = width / Math.max(bars.length, 12);
  const size = (value: number) => (value / most) * height;
  const latest = bars.at(-1);
  const told = latest ? `${bars.length} shown, the highest ${most} ${unit}, the latest ${sum(latest)} ${unit}` : "nothing yet";
  return (
    <figure className="plot">
      <figcaption>
        {title} <span className="quiet">{latest ? `max ${most.toLocaleString("en")} ${unit}` : "nothing yet"}</span>
        {latest && (
          <span className="legend">
            {parts.map((part) => (
              <span key={part}>{part}</span>
            ))}
          </span>
        )}
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${title}: ${told}`} preserveAspectRatio="none">
        <line x1="0" x2={width} y1={height} y2={height} />
        {bars.map(({ name, value, also = 0 }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: bars have no names of their own.
          <g key={at}>
            <title>{`${name}: ${value + also} ${unit}`}</title>
            <rect x={at * step + 1} width={step - 2} y={height - size(value)} height={size(value)} />
            <rect className="also" x={at * step + 1} width={step - 2} y={height - size(value + also)} height={size(also)} />
          </g>
        ))}
      </svg>
    </figure>
  );
}

const sum = ({ value, also = 0 }: Bar) => value + also;
