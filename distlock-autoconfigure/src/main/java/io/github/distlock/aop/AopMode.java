package io.github.distlock.aop;

/**
 * How the lock is put around annotated methods.
 */
public enum AopMode {

	/**
	 * By the proxy of the bean. Locks calls from other objects, of methods that a proxy
	 * can intercept.
	 */
	PROXY,

	/**
	 * By the weaver of AspectJ, which changes the class when it is loaded. Locks all
	 * calls, including those inside one object and those of private, final and static
	 * methods.
	 */
	ASPECTJ

}
