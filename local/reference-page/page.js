/* global SwaggerUIBundle -- of swagger-ui-dist */
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  // Nothing leaves this machine: the library would have the description checked by a public validator.
  validatorUrl: null,
})
