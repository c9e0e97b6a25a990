"use strict";
for (const picker of document.querySelectorAll(".picker")) {
  const pools = JSON.parse(document.getElementById(picker.dataset.source).textContent);
  const [role, index] = [picker.querySelector("select"), picker.querySelector("input")];
  const shown = document.getElementById(picker.dataset.target);
  const text = (base, other) =>
    typeof other === "string" ? other : base.slice(0, other[0]) + other[2] + base.slice(base.length - other[1]);
  const variables = (pool, i) => {
    if (i === 0) return pool.first;
    const other = pool.others[i];
    return other && Object.fromEntries(Object.keys(other).map((name) => [name, text(pool.first[name], other[name])]));
  };
  const indented = (value) => {
    try {
      const parsed = JSON.parse(value);
      return typeof parsed === "object" && parsed ? JSON.stringify(parsed, null, 2) : value;
    } catch {
      return value;
    }
  };
  const show = () => {
    const pool = pools[role.selectedIndex];
    index.max = pool.count - 1;
    const i = Math.min(Math.max(0, Math.trunc(Number(index.value) || 0)), pool.count - 1);
    if (index.value !== "" && Number(index.value) !== i) index.value = i;
    const found = variables(pool, i);
    shown.replaceChildren();
    const line = document.createElement("p");
    line.textContent = found
      ? pool.count === 1 ? `${pool.title}, its only replica` : `${pool.title}, replica ${i}; there are 0 to ${pool.count - 1}`
      : `This page does not hold replica ${i}; python -m trainingjobs env shows it.`;
    shown.append(line);
    for (const [name, value] of Object.entries(found || {})) {
      const heading = document.createElement("h4");
      heading.textContent = name;
      const body = document.createElement("pre");
      body.tabIndex = 0;
      body.setAttribute("role", "region");
      body.setAttribute("aria-label", `${name} of ${pool.title.toLowerCase()} ${i}`);
      body.textContent = indented(value);
      shown.append(heading, body);
    }
  };
  role.addEventListener("change", () => { index.value = 0; show(); });
  index.addEventListener("input", show);
  show();
}
