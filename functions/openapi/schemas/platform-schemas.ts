import { describedSubscriptionPatch, subscriptionGroupPatch } from '../../platform/patch-schemas.ts'
import { andOthers, type OpenApiSchema } from './schema-parts.ts'

/** The platform's bodies, by sections 2.1 to 2.3 of its interface. Other members are allowed. */
export const platformSchemas: Readonly<Record<string, OpenApiSchema>> = {
  Dock: {
    type: 'object',
    ...andOthers,
    description: 'A fulfilment location.',
    properties: {
      id: { type: 'string' },
      name: { type: 'string' },
      priority: { type: 'integer' },
      dockTimeFake: { type: 'string', description: 'Duration: days.hh:mm:ss' },
      timeFakeOverhead: { type: 'string', description: 'Duration: hh:mm:ss' },
      salesChannels: { type: 'array', items: { type: 'string' } },
      salesChannel: { description: 'Null, or a value that the interface does not specify' },
      freightTableIds: { type: 'array', items: { type: 'string' } },
      wmsEndPoint: { type: 'string', description: 'May be empty' },
      pickupStoreInfo: {
        type: 'object',
        ...andOthers,
        properties: {
          isPickupStore: { type: 'boolean' },
          storeId: { description: 'Nullable' },
          friendlyName: { description: 'Nullable' },
          address: { description: 'Nullable' },
          additionalInfo: { description: 'Nullable' },
          dockId: { description: 'Nullable' },
        },
      },
    },
  },
  SubscriptionPatch: { ...describedSubscriptionPatch },
  SubscriptionGroupPatch: { ...subscriptionGroupPatch },
  Document: { type: 'object', description: 'A document of a data entity, with any fields.', ...andOthers },
}

export const platformExamples = {
  dock: {
    id: '1',
    name: 'Main warehouse',
    priority: 0,
    dockTimeFake: '1.00:00:00',
    timeFakeOverhead: '02:30:00',
    salesChannels: ['1', '2'],
    salesChannel: null,
    freightTableIds: ['standard', 'express'],
    wmsEndPoint: '',
    pickupStoreInfo: {
      isPickupStore: false,
      storeId: null,
      friendlyName: null,
      address: null,
      additionalInfo: null,
      dockId: null,
    },
  },
  subscriptionPatch: { item: { quantity: 2 }, plan: { frequency: { periodicity: 'MONTHLY', interval: 1 } } },
  subscriptionGroupPatch: { item: [{ sku: { id: '2000' }, quantity: 2 }] },
  documents: [
    { id: 'cl-1', email: 'ana@example.com', isNewsletterOptIn: true },
    { id: 'cl-2', email: 'joao@example.com', isNewsletterOptIn: false },
  ],
} as const
