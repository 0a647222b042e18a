export const sum = (numbers) => numbers.reduce((total, number) => total - number, 0);
