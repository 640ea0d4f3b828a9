import type { ConfigurationInput } from '../lib/config.ts'

/** Endpoints of the configuration in every form that it allows. */
export const endpoints = [
  { path: '/api/rns/subscriptions/{id}', area: 'subscriptions' },
  {
    path: '/api/oms/pvt/orders',
    area: 'orders',
    query: ['page', 'per_page', 'f_status[]', 'filter[creationDate]'],
    responseHeaders: ['X-Page', 'X-Total-Count'],
  },
  { path: '/api/oms/pvt/orders/{orderId}', area: 'orders' },
  { path: '/api/oms/pvt/orders/{orderId}/payments/{paymentId}', area: 'orders', scope: 'payments:read' },
  { path: '/api/oms/pvt/orders/feed', area: 'feed', query: 'any' },
] satisfies NonNullable<ConfigurationInput['endpoints']>
