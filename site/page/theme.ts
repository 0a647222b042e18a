// Light or dark, as chosen before: runs before anything is drawn, so nothing changes its colour.
try {
  const theme = localStorage.getItem("site-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Where nothing may be stored, the system decides.
}
