package io.github.distlock.aop;

/**
 * Whether calls of a bean's annotated methods reach their locks.
 */
interface AdviceVerifier {

	/**
	 * Refuse a bean whose method would run without its lock, or in the wrong order.
	 * @param bean the bean, with its proxy if it has one
	 * @param place one of its annotated methods
	 * @throws io.github.distlock.LockDefinitionException if it cannot work
	 */
	void verify(Object bean, BeanLocks.Declaration declaration);

}
