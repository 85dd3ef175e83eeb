export const pipeOperand = ['<pipe>', 'id or name of the pipe'] as const
