const generated = /(<!-- scripts\/cli-reference\.ts generates this table -->\n)[\s\S]*?(<!-- end -->)/g

/** A page of docs with what is generated in it, in its order. */
export const withGenerated = (page: string, [...texts]: readonly string[]): string =>
  page.replace(generated, (_, start: string, end: string) => `${start}\n${texts.shift()}\n\n${end}`)

/** A table in Markdown. */
export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    `| ${head.join(' | ')} |`,
    `|${'---|'.repeat(head.length)}`,
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n')
