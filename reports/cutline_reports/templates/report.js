"use strict";
(() => {
  const folds = [...document.querySelectorAll("details")];
  let before = null;
  addEventListener("beforeprint", () => {
    before = folds.map((fold) => fold.open);
    folds.forEach((fold) => (fold.open = true));
  });
  addEventListener("afterprint", () => {
    if (before) folds.forEach((fold, i) => (fold.open = before[i]));
    before = null;
  });
  const all = document.getElementById("all-folds");
  all.hidden = false;
  all.addEventListener("click", () => {
    const open = all.getAttribute("aria-pressed") !== "true";
    folds.forEach((fold) => (fold.open = open));
    all.setAttribute("aria-pressed", String(open));
    all.textContent = open ? "Close all details" : "Open all details";
  });
  const reveal = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    for (let fold = target; fold; fold = fold.parentElement) {
      if (fold.tagName === "DETAILS") fold.open = true;
    }
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
})();
