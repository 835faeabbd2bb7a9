// Applies the chosen colours before the page is painted. It runs as a plain script, because modules run later.
{
  const chosen = localStorage.getItem("memkube-theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
}
