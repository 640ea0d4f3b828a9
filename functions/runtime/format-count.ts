/** `12,345` */
export const formatCount = (count: number) => count.toLocaleString('en')

/** `1 page` or `12,345 pages` */
export const plural = (count: number, one: string, many = `${one}s`) =>
  `${formatCount(count)} ${count === 1 ? one : many}`

export const formatDocuments = (count: number) => plural(count, 'document')
