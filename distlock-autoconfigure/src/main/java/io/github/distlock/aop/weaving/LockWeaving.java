package io.github.distlock.aop.weaving;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;

/**
 * Finds out whether a weaver has changed a method. The weaver moves the body of an
 * advised method to another method, for advice of any aspect.
 */
public final class LockWeaving {

	/** Part of the name of the method to which the weaver moves a body. */
	private static final String BODY = "_aroundBody";

	private LockWeaving() {
	}

	/**
	 * Return whether a weaver has applied advice to a method.
	 * @param method the method
	 * @return whether the method is woven
	 */
	public static boolean isWoven(Method method) {
		int receiver = Modifier.isStatic(method.getModifiers()) ? 0 : 1;
		List<Class<?>> parameters = List.of(method.getParameterTypes());
		return Arrays.stream(method.getDeclaringClass().getDeclaredMethods())
			.filter((candidate) -> candidate.getName().startsWith(method.getName() + BODY))
			.map((body) -> List.of(body.getParameterTypes()))
			.anyMatch((types) -> types.size() >= receiver + parameters.size()
					&& types.subList(receiver, receiver + parameters.size()).equals(parameters));
	}

}
