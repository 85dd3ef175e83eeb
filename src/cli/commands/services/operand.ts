export const serviceOperand = ['<service>', 'id or name of the service'] as const
