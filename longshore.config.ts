import { defineConfig } from './lib/config.ts'

// What you edit. Whatever is left out has the default that docs/configuration.md tells; a mistake is named by `cdk synth`.
export default defineConfig({
  // Prefix of the stacks: LongshoreStorage, LongshoreApi, LongshoreSync, LongshoreMonitoring.
  name: 'Longshore',

  upstream: {
    // The platform's address: https, without a path.
    baseUrl: 'https://shop.example.com',
    // Begins the platform's own headers: X-SVC-API-AppKey and its kin.
    headerPrefix: 'X-SVC',
  },

  // One secret serves all areas, unless an area names one of its own:
  // credentials: { documents: 'shop/longshore-documents' },

  // AWS identities may call. Or the tokens of an OIDC issuer:
  // auth: { type: 'jwt', issuer: 'https://login.example.com/', audience: ['longshore'] },

  // Origins whose pages may call from a browser:
  // cors: ['https://app.example.com'],

  // The data entities to keep a proven copy of.
  entities: [
    // Clients, every six hours.
    { name: 'CL', schedule: 'rate(6 hours)' },
    // Addresses, every night, some fields only.
    {
      name: 'AD',
      schedule: 'cron(30 3 * * ? *)',
      timezone: 'Europe/Lisbon',
      query: { _fields: 'id,userId,city,country' },
    },
  ],

  // A key of yours in place of those of AWS; SECURITY.md says what its policy must allow:
  // encryptionKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',

  // The most that any role may ever do, by the name or ARN of a managed policy:
  // permissionsBoundary: 'shop-boundary',

  // Who hears of alarms; the address gets a mail that asks to confirm:
  // alarmEmail: 'shop-operations@example.com',
})
