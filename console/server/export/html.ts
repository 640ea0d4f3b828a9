/** Browsers load no modules from files, so the scripts are plain ones. */
export function exportedHtml(html: string): string {
  return html
    .replace('/console/style.css', 'style.css')
    .replace(
      '<script type="module" src="/console/console.js"></script>',
      '<script src="data.js"></script>\n    <script defer src="console.js"></script>',
    )
}
