package io.github.distlock.aop.weaving;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

import org.springframework.util.ClassUtils;

/**
 * Finds out whether a weaver has changed a method. The weaver moves the body of an
 * advised method to another method, for advice of any aspect. So a moved body alone does
 * not prove that the method is locked.
 */
public final class LockWeaving {

	/** Part of the name of the method to which the weaver moves a body. */
	private static final String BODY = "_aroundBody";

	private LockWeaving() {
	}

	/**
	 * Return whether a weaver has applied advice of any aspect to a method.
	 * @param method the method
	 * @return whether the method is woven
	 */
	public static boolean isWoven(Method method) {
		return !bodies(method).isEmpty();
	}

	/**
	 * Return whether the lock is woven into a method: a weaver has changed the method,
	 * and either the compiler has woven {@link LockAspect} into its class, or the weaver
	 * has changed the method when the class was loaded: such a weaver reads the
	 * {@code META-INF/aop.xml} of the library. A method that the AspectJ compiler has
	 * changed only for other aspects is not locked.
	 * @param method the method
	 * @return whether the method is locked
	 */
	public static boolean isLocked(Method method) {
		List<Method> bodies = bodies(method);
		if (bodies.isEmpty()) {
			return false;
		}
		String file = classFile(method.getDeclaringClass());
		return file.contains(LockAspect.class.getName().replace('.', '/'))
				|| bodies.stream().anyMatch((body) -> !file.contains(body.getName()));
	}

	private static List<Method> bodies(Method method) {
		int receiver = Modifier.isStatic(method.getModifiers()) ? 0 : 1;
		List<Class<?>> parameters = List.of(method.getParameterTypes());
		return Arrays.stream(method.getDeclaringClass().getDeclaredMethods())
			.filter((candidate) -> candidate.getName().startsWith(method.getName() + BODY))
			.filter((body) -> {
				List<Class<?>> types = List.of(body.getParameterTypes());
				return types.size() >= receiver + parameters.size()
						&& types.subList(receiver, receiver + parameters.size()).equals(parameters);
			})
			.toList();
	}

	/** The compiled class, without the changes of a weaver at load time. */
	private static String classFile(Class<?> type) {
		try (InputStream in = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
			return (in != null) ? new String(in.readAllBytes(), StandardCharsets.ISO_8859_1) : BODY;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot read the class file of " + type.getName(), ex);
		}
	}

}
