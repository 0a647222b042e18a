// A drawing for each product, so that the page needs no image files.
const strokes: Readonly<Record<string, string>> = {
  "oak-desk": "M6 20h36M10 20v20M38 20v20M28 20v10h10",
  "monitor-arm": "M8 10h22v16H8zM19 26v6M30 18h8v22M30 40h14",
  "aurora-lamp": "M14 22h20l-5-12H19zM24 22v16M16 40h16",
  "clip-light": "M10 40V28l14-10M22 12l10 10-6 4-8-8zM6 40h10",
  "quiet-headphones": "M8 30v-6a16 16 0 0 1 32 0v6M8 28h6v12H8zM34 28h6v12h-6z",
  "felt-panel": "M10 10h28v28H10zM19 10v28M28 10v28",
  "task-chair": "M16 8h16v16H16zM12 28h24M24 28v8M15 41l9-5 9 5",
  fern: "M24 30V10M24 22c-8 0-10-4-10-8M24 18c7 0 9-4 9-8M24 28c-9 0-12-3-13-7M24 27c8 0 11-3 13-7M16 30h16l-2 12H18z",
};

export function Art({ id }: { id: string }) {
  return (
    <svg className="art" viewBox="0 0 48 48" aria-hidden="true">
      <path d={strokes[id]} />
    </svg>
  );
}
