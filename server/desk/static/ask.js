/**
 * Ask the desk for a page, or send it a form, and read the page that comes back.
 * @param {string} address
 * @param {FormData | null} body
 * @returns {Promise<Document | null>} null if the desk refused
 */
export function ask(address, body = null) {
  return new Promise((resolve) => {
    // Not fetch: it makes no document of what comes, and the page's policy forbids to do so here.
    const request = new XMLHttpRequest();
    request.open(body ? "POST" : "GET", address);
    request.responseType = "document";
    request.addEventListener("loadend", () => {
      resolve(request.status === 200 ? request.response : null);
    });
    request.send(body);
  });
}
