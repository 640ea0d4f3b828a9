/** Also characters that nobody sees, such as marks of the writing direction, which are copied with a value. */
const unseen = /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu

/** What remains of a text without regard to letter case, white space and Unicode form. Turkish has an I with a dot. */
export const formOf = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(unseen, '')
    .toLowerCase()
    .replaceAll('i\u0307', 'i')
    .toUpperCase()
    .normalize('NFKC')
