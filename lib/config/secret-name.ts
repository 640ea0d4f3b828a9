import { primitive } from '../../functions/runtime/settings-schema/schema-parts.ts'

/** A name or an ARN. The message does not repeat the value, which may be the secret. `findOther` finds likelier errors. */
export const secretName = (
  expected = 'the name or ARN of a secret in Secrets Manager',
  findOther: (value: string) => string | undefined = () => undefined,
) =>
  primitive<string>(
    'string',
    expected,
    (value) =>
      findOther(value) ??
      (/^(?:arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:)?[A-Za-z0-9/_+=.@-]{1,512}$/.test(value)
        ? undefined
        : 'is not the name or ARN of a secret in Secrets Manager'),
  )
