package io.github.distlock.aop;

/**
 * How calls of annotated methods reach their lock.
 */
public enum AopMode {

	/**
	 * Through the proxy of the bean: each call from another object, of a method that a
	 * proxy can intercept.
	 */
	PROXY,

	/**
	 * Through AspectJ's weaver, which changes the class when it is loaded: each call,
	 * those inside one object and those of private, final and static methods, too.
	 */
	ASPECTJ

}
