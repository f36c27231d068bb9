"use strict";
(() => {
  const field = (id) => document.getElementById(id);
  const context = field("by-context");
  const region = field("by-region");
  const decision = field("by-decision");
  const since = field("since");
  const until = field("until");
  const fields = [context, region, decision, since, until];
  const runs = [...document.querySelectorAll("[data-run]")];
  const marks = [...document.querySelectorAll(".marks > li")];
  const slices = [...document.querySelectorAll("[data-slice]")];
  const is = (wanted, value) => !wanted || wanted === value;
  const ofSlice = (item) =>
    is(context.value, item.dataset.context) && is(region.value, item.dataset.region);
  const wanted = (item) =>
    ofSlice(item) &&
    is(decision.value, item.dataset.decision) &&
    (!since.value || item.dataset.day >= since.value) &&
    (!until.value || item.dataset.day <= until.value);
  const nameOf = (item) => JSON.stringify([item.dataset.context, item.dataset.region]);
  const apply = () => {
    const remaining = runs.filter(wanted);
    const busy = new Set(remaining.map(nameOf));
    const ofRuns = decision.value || since.value || until.value;
    runs.forEach((run) => (run.hidden = true));
    remaining.forEach((run) => (run.hidden = false));
    marks.forEach((mark) => (mark.hidden = !wanted(mark)));
    slices.forEach((row) => (row.hidden = !ofSlice(row) || (ofRuns && !busy.has(nameOf(row)))));
    field("shown").textContent = `${remaining.length} of ${runs.length} runs are shown.`;
  };
  fields.forEach((one) => one.addEventListener("input", apply));
  field("clear").addEventListener("click", () => {
    fields.forEach((one) => (one.value = ""));
    apply();
  });
  field("filters").hidden = false;
  apply();
})();
