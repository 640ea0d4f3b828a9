import type { ConfigurationInput } from '../../lib/config.ts'
import { endpoints } from '../endpoints.ts'

/** Configurations that together cover every variant of every stack. Invariants are checked for each of them. */
export const configurations: Readonly<Record<string, Partial<ConfigurationInput>>> = {
  'with AWS identities and entities': {
    alarmEmail: 'shop-operations@example.com',
    entities: [
      { name: 'CL', schedule: 'rate(6 hours)' },
      { name: 'ad_x-1', schedule: 'cron(30 3 * * ? *)', timezone: 'Europe/Lisbon', enabled: false },
    ],
  },
  'with JWT, CORS and a secret for each area': {
    name: 'Shop',
    auth: { type: 'jwt', issuer: 'https://login.example.com/', audience: ['longshore'] },
    cors: ['https://app.example.com'],
    credentials: {
      logistics: 'shop/logistics',
      subscriptions: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:subscriptions-a1b2c3',
      documents: 'shop/documents',
      orders: 'shop/orders',
      feed: 'shop/feed',
    },
    endpoints,
    entities: [{ name: 'CL', schedule: 'rate(1 day)' }],
  },
  'without entities and Athena': { athena: false, maxConcurrentCalls: 40 },
  'with a customer managed key and a boundary': {
    encryptionKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',
    previousEncryptionKeyArns: [
      'arn:aws:kms:eu-west-1:123456789012:key/abcd1234-12ab-34cd-56ef-1234567890ab',
    ],
    tracing: true,
    permissionsBoundary: 'arn:aws:iam::123456789012:policy/teams/shop',
    alarmEmail: 'shop-operations@example.com',
    alerts: [{ type: 'slack', url: 'shop/slack' }],
    eraseWithinDays: 30,
    entities: [{ name: 'CL', schedule: 'rate(6 hours)', increments: { schedule: 'rate(5 minutes)' } }],
  },
  'with everything of their own account': {
    tags: { team: 'shop' },
    alerts: [
      { type: 'teams', url: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:shop/teams-a1b2c3' },
      { type: 'webhook', url: 'shop/pager', notes: true },
    ],
    logRetentionDays: 90,
    network: {
      vpcId: 'vpc-0123456789abcdef0',
      subnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
      functions: 'all',
    },
    domain: {
      name: 'longshore.example.com',
      certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/1234abcd-12ab-34cd-56ef-1234567890ab',
      only: true,
      mutualTls: { truststoreUri: 's3://shop-truststore/callers.pem', truststoreVersion: '3' },
    },
    readers: [
      { role: 'arn:aws:iam::210987654321:role/reports' },
      { role: 'arn:aws:iam::210987654321:role/teams/loader', entities: ['CL'], data: ['changes'] },
    ],
    entities: [{ name: 'CL', schedule: 'rate(6 hours)' }],
  },
}

/** Every option that a configuration can have at once. */
export const complete: Partial<ConfigurationInput> = {
  ...Object.assign({}, ...Object.values(configurations)),
  athena: true,
  entities: [
    { name: 'CL', schedule: 'rate(1 day)', increments: { schedule: 'rate(5 minutes)' }, columns: ['id'] },
  ],
}
