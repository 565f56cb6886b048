/** Buttons that copy what stands beside them. Without this script they are not there. */

for (const button of document.querySelectorAll("button[data-copies]")) {
  if (!(button instanceof HTMLButtonElement)) continue;
  const source = document.getElementById(button.dataset.copies ?? "");
  const label = button.textContent;
  button.hidden = source === null || !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(
      source instanceof HTMLTextAreaElement ? source.value : (source?.textContent?.trim() ?? ""),
    );
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = label), 3000);
  });
}
