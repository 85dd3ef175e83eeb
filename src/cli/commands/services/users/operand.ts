export const userOperand = ['<user>', 'id or name of the user'] as const
