// Search over names, which hides what does not match, and the choice of a namespace.

export function matches(element, words) {
  const text = (element.dataset.kind ?? element.dataset.key ?? element.textContent).toLowerCase();
  return words.every((word) => text.includes(word));
}

export function wordsOf(input) {
  return input ? input.value.toLowerCase().split(/\s+/).filter(Boolean) : [];
}

export function searchInput() {
  return document.querySelector("input[data-filter]");
}

function filter(input) {
  const words = wordsOf(input);
  for (const element of document.querySelectorAll(input.dataset.filter)) element.hidden = !matches(element, words);
  for (const section of document.querySelectorAll(".groups > section")) {
    section.hidden = !section.querySelector("li:not([hidden])");
  }
}

export function startFilters() {
  const input = searchInput();
  if (input) {
    filter(input);
    document.addEventListener("loaded", () => filter(input));
    input.addEventListener("input", () => {
      filter(input);
      const address = new URL(location.href);
      if (input.value) address.searchParams.set("q", input.value);
      else address.searchParams.delete("q");
      history.replaceState(null, "", address);
    });
  }
  for (const choice of document.querySelectorAll("select[data-goto]")) {
    choice.addEventListener("change", () => location.assign(choice.value));
  }
  for (const form of document.querySelectorAll("form[data-filters]")) {
    form.addEventListener("submit", () => {
      // Addresses that people pass on shall not have empty parameters.
      for (const field of form.querySelectorAll("input[name]")) if (!field.value) field.disabled = true;
    });
  }
}
