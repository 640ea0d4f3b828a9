import * as v from 'valibot'
import {
  deployedText,
  deployedTextMatching,
  itemsOf,
  primitiveWhere,
  strictObject,
} from '../../functions/runtime/settings-schema/schema-parts.ts'
import { findIssuerError } from './urls.ts'

const authType = <T extends string>(type: T) =>
  primitiveWhere<T>('string', "'iam' or 'jwt'", (value) => value === type)

const iam = strictObject({ type: authType('iam') })

const audienceList = "a list of strings, such as ['longshore']"

const jwt = strictObject({
  type: authType('jwt'),
  /** The `iss` claim of the tokens. */
  issuer: deployedText('the https URL of the token issuer', findIssuerError),
  /** A token must name one of these in `aud` or `client_id`. */
  audience: v.pipe(
    itemsOf(deployedTextMatching('a non-empty string', /\S/), audienceList),
    v.check((audience) => audience.length > 0, 'is empty, so no token would be accepted; add an audience'),
    v.description(audienceList),
  ),
})

/** An issuer or an audience means JWT, so that a wrong type is reported instead of two unknown keys. */
function isJwt(input: unknown): boolean {
  const { type, issuer, audience } = (input ?? {}) as Record<string, unknown>
  return type === 'jwt' || (type !== 'iam' && (issuer ?? audience) !== undefined)
}

export const authSchema = v.lazy((input) => (isJwt(input) ? jwt : iam)) as v.GenericSchema<
  v.InferInput<typeof iam> | v.InferInput<typeof jwt>,
  v.InferOutput<typeof iam> | v.InferOutput<typeof jwt>
>
