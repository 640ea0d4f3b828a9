/** Also characters that nobody sees, such as marks of the writing direction, and the dot of the Turkish I. */
const unseen = /[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+|(?<=i)\u0307/gu

/** What remains of a text without regard to letter case, white space and Unicode form. */
export const formOf = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replaceAll(unseen, '').toUpperCase().normalize('NFKC')
