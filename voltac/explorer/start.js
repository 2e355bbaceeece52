// --- the beginning ---

$("file").textContent = beginning.file;
source.value = beginning.source;
options.value = beginning.options;
source.addEventListener("input", edited);
source.addEventListener("scroll", scroll);
options.addEventListener("input", edited);
document.addEventListener("selectionchange", () => document.activeElement === source && cursorMoved());
paint();
check();
