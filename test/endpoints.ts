import { type ConfigurationInput, resolveConfig } from '../lib/config.ts'

const orders = '/api/oms/pvt/orders'

/** Endpoints of the configuration in every form that it allows. */
export const endpoints = [
  { path: '/api/rns/subscriptions/{id}', area: 'subscriptions' },
  {
    path: orders,
    area: 'orders',
    query: ['page', 'f[a]', 's[]'],
    responseHeaders: ['X-Page', 'X-Total-Count'],
  },
  { path: `${orders}/{orderId}`, area: 'orders' },
  { path: `${orders}/summary`, area: 'orders', responseHeaders: ['ETag'] },
  { path: `${orders}/{orderId}/payments/{paymentId}`, area: 'orders', scope: 'payments:read' },
  { path: `${orders}/feed`, area: 'feed', query: 'any' },
  { path: '/api/dataentities/{acronym}/documents/{id}', area: 'documents', query: ['_fields'] },
  { path: '/api/{a}/{b}/{c}/{d}/{e}/{f}', area: 'feed' },
  { path: '/api/a.b/_c~d-e', area: 'feed' },
  { path: '/api/a.b', area: 'feed' },
] satisfies NonNullable<ConfigurationInput['endpoints']>

/** With their defaults. */
export const configured = resolveConfig({
  upstream: { baseUrl: 'https://shop.example.com' },
  endpoints,
}).endpoints
