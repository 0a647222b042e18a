// Draws what a row measured as an SVG: ours ÷ each other, on a logarithmic axis on which left of 1 is ahead.

const [width, label, line, head] = [720, 330, 20, 44];

export function plot({ title, figures }) {
  const rows = Object.entries(figures).flatMap(([figure, of]) => [
    { heading: figure },
    ...Object.entries(of)
      .filter(([name]) => name !== "ours" && of.ours)
      .map(([name, { median }]) => ({ name, ratio: of.ours.median / median })),
  ]);
  const decades = Math.max(1, ...rows.map(({ ratio }) => (ratio > 0 ? Math.ceil(Math.abs(Math.log10(ratio))) : 0)));
  const at = (ratio) => label + (width - label - 40) * (0.5 + Math.log10(ratio) / (2 * decades));
  const height = head + rows.length * line + 12;
  const ticks = Array.from({ length: 2 * decades + 1 }, (_, index) => 10 ** (index - decades));
  const parts = ticks.map(
    (tick) =>
      `<line class="${tick === 1 ? "one" : "grid"}" x1="${at(tick)}" x2="${at(tick)}" y1="${head - 8}" y2="${height - 8}"/><text class="tick" x="${at(tick)}" y="${head - 14}">${tick >= 1 ? tick : `1/${Math.round(1 / tick)}`}</text>`,
  );
  for (const [index, { heading, name, ratio }] of rows.entries()) {
    const y = head + index * line + 10;
    if (heading) {
      parts.push(`<text class="figure" x="12" y="${y + 4}">${escaped(heading)}</text>`);
    } else if (ratio > 0) {
      const [from, to] = [Math.min(at(1), at(ratio)), Math.max(at(1), at(ratio))];
      const kind = ratio <= 1 ? "ahead" : "behind";
      parts.push(
        `<text x="${label - 12}" y="${y + 4}" class="name">÷ ${escaped(name)}</text><rect class="${kind}" x="${from}" y="${y - 5}" width="${Math.max(2, to - from)}" height="10" rx="2"/><text class="value" x="${ratio <= 1 ? from - 6 : to + 6}" y="${y + 4}" text-anchor="${ratio <= 1 ? "end" : "start"}">${short(ratio)}</text>`,
      );
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}: ours ÷ each other">
<style>
text { font: 12px system-ui, sans-serif; fill: #24292f; } .figure { font-weight: 600; } .name { text-anchor: end; } .tick { text-anchor: middle; fill: #57606a; }
.grid { stroke: #d0d7de; } .one { stroke: #57606a; } .ahead { fill: #1a7f37; } .behind { fill: #bc4c00; } .title { font-weight: 600; font-size: 13px; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .tick { fill: #9198a1; } .grid { stroke: #30363d; } .one { stroke: #9198a1; } .ahead { fill: #3fb950; } .behind { fill: #f0883e; } }
</style>
<text class="title" x="12" y="${head - 26}">${escaped(title)}</text>
${parts.join("\n")}
</svg>
`;
}

const short = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(2));
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
