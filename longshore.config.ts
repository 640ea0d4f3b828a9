import { defineConfig } from './lib/config.ts'

// Edit this file. docs/configuration.md lists every key with its default; `npx cdk synth` reports every error.
export default defineConfig({
  // Prefix of the stacks, for example LongshoreStorage.
  name: 'Longshore',

  upstream: {
    // The platform's address: https, without a path.
    baseUrl: 'https://shop.example.com',
    // Prefix of the platform's headers: X-SVC-API-AppKey, X-SVC-API-AppToken, X-SVC-MD-TOKEN.
    headerPrefix: 'X-SVC',
    // The account's name, if your programs send it as the query parameter `an`:
    // account: 'shop',
  },

  // By default one secret contains the credentials of all areas. To use an existing secret for an area:
  // credentials: { documents: 'shop/longshore-documents' },

  // By default callers sign with AWS identities. To accept tokens of an OIDC issuer instead:
  // auth: { type: 'jwt', issuer: 'https://login.example.com/', audience: ['longshore'] },

  // Origins that may call the API from a browser:
  // cors: ['https://app.example.com'],

  // The data entities to sync.
  entities: [
    // Clients, every six hours. With columns, each snapshot is also published as an Iceberg table (docs/tables.md). To propose
    // columns for your documents: npx --no-install longshore columns CL
    {
      name: 'CL',
      schedule: 'rate(6 hours)',
      columns: {
        id: 'string',
        email_hash: { from: 'email', type: 'string', hash: 'sha256' },
        balance: 'decimal(28,9)',
        isNewsletterOptIn: 'boolean',
        createdIn: 'timestamp',
      },
    },
    // Addresses, every night, with only some fields.
    {
      name: 'AD',
      schedule: 'cron(30 3 * * ? *)',
      timezone: 'Europe/Lisbon',
      query: { _fields: 'id,userId,city,country' },
    },
  ],

  // Erase from the bucket what is no longer published, old versions included; docs/erasure.md has the details:
  // eraseWithinDays: 30,

  // A customer-managed KMS key instead of AWS's keys; SECURITY.md lists what its policy must allow:
  // encryptionKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',

  // A managed policy (name or ARN) that limits every role:
  // permissionsBoundary: 'shop-boundary',

  // The address that receives alarms. AWS first sends it a message to confirm:
  // alarmEmail: 'shop-operations@example.com',
})
