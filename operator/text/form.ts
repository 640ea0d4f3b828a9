/** Also characters that nobody sees, such as marks of the writing direction, which are copied with a value. */
const whiteSpace = /[\p{White_Space}\p{Cf}]+/gu

/** What remains of a text without regard to letter case, white space and Unicode form. */
export const formOf = (text: string): string =>
  text.normalize('NFKC').replaceAll(whiteSpace, '').toUpperCase().normalize('NFKC')
