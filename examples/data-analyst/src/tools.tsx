// Code that the model writes runs in a sandbox, which reads the files of the conversation and reaches nothing else. A chart shows what it gave.
import { defineTool } from "glove-wasm/react";
import { sandboxExec } from "glove-wasm/tools";
import { z } from "zod";

export const runCode = sandboxExec({ mounts: { attachments: "read" } });

const chart = z.object({
  title: z.string(),
  unit: z.string(),
  bars: z
    .array(z.object({ label: z.string(), value: z.number() }))
    .min(1)
    .max(24),
});

export const drawChart = defineTool({
  name: "draw_chart",
  description: "Draws a bar chart of numbers that code has computed.",
  inputSchema: chart,
  title: ({ title }) => title,
  idempotent: true,
  do: (input) => ({ status: "success", data: "The person sees the chart.", renderData: input }),
  renderResult: ({ data }) => data && <Chart {...data} />,
});

export function Chart({ title, unit, bars }: z.infer<typeof chart>) {
  const most = Math.max(...bars.map(({ value }) => value), 0) || 1;
  const shown = (value: number) => `${value.toLocaleString("en")} ${unit}`;
  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      <svg
        viewBox={`0 0 400 ${bars.length * 34}`}
        role="img"
        aria-label={bars.map(({ label, value }) => `${label}: ${shown(value)}`).join(", ")}
      >
        {bars.map(({ label, value }, at) => (
          <g key={label} transform={`translate(0 ${at * 34})`}>
            <text y="21">{label}</text>
            <rect x="90" y="5" height="24" rx="5" width={Math.max(2, (Math.max(0, value) / most) * 210)} />
            <text x={98 + (Math.max(0, value) / most) * 210} y="21">
              {shown(value)}
            </text>
          </g>
        ))}
      </svg>
    </figure>
  );
}
