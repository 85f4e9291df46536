package io.github.distlock.aop;

/**
 * Verifies that calls of the annotated methods of a bean pass the lock.
 */
interface AdviceVerifier {

	/**
	 * Refuse a bean whose method would run without its lock, or with the lock inside the
	 * transaction.
	 * @param bean the bean, or its proxy if it has one
	 * @param declaration one of its annotated methods
	 * @throws io.github.distlock.LockDefinitionException if the bean is refused
	 */
	void verify(Object bean, LockDeclaration declaration);

}
