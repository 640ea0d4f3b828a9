import * as v from 'valibot'
import {
  describeValue,
  isToken,
  pathItem,
  plainObject,
} from '../../functions/runtime/settings-schema/schema-parts.ts'

/** The limit of a resource and of a stack (CloudFormation and the services agree). */
const maxTags = 50

// Letters, digits, spaces and these characters are what every service accepts.
const allowed = /^[\p{L}\p{N}\p{Z}_.:/=+@-]*$/u
const allowedText = 'letters, digits, spaces and _ . : / = + - @'

function findNameError(name: string, names: readonly string[]): string | undefined {
  if (name.trim() === '') return 'is not the name of a tag; use 1 to 128 characters'
  if (name.length > 128) return `has ${name.length} characters; the name of a tag has at most 128`
  if (/^aws:/i.test(name)) return "begins with 'aws:', which AWS reserves; use another name"
  if (!allowed.test(name)) return `has a character that AWS does not accept in a tag; use ${allowedText}`
  const earlier = names
    .slice(0, names.indexOf(name))
    .find((other) => other.toLowerCase() === name.toLowerCase())
  return earlier && `differs from ${describeValue(earlier)} only in case, which IAM refuses; keep one of them`
}

function findValueError(value: unknown): string | undefined {
  if (typeof value !== 'string') return `${describeValue(value)} is not a string`
  if (value === '') return 'is empty, which CloudFormation refuses; use 1 to 256 characters'
  if (value.length > 256) return `has ${value.length} characters; the value of a tag has at most 256`
  if (!allowed.test(value) && !isToken(value))
    return `${describeValue(value)} has a character that AWS does not accept in a tag; use ${allowedText}`
  return undefined
}

/** The tags of every resource, by name. */
export const tagsSchema = v.pipe(
  plainObject("an object of tags, such as { team: 'shop' }") as v.GenericSchema<Record<string, string>>,
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const names = Object.keys(dataset.value)
    for (const name of names) {
      const message = findNameError(name, names) ?? findValueError(dataset.value[name])
      if (message) addIssue({ message, path: [pathItem(dataset.value, name)] })
    }
    if (names.length > maxTags)
      addIssue({ message: `has ${names.length} tags; a resource has at most ${maxTags}` })
  }),
)
