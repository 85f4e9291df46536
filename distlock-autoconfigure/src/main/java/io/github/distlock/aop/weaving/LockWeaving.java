package io.github.distlock.aop.weaving;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;
import io.github.distlock.DistributedLocks;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * Finds out whether a weaver has changed a method. The weaver moves the body of an
 * advised method to another method, for advice of any aspect. So a moved body alone does
 * not prove that the method is locked.
 */
public final class LockWeaving {

	/** Part of the name of the method to which the weaver moves a body. */
	private static final String BODY = "_aroundBody";

	/** The name of the aspect in a class file that refers to it. */
	private static final byte[] ASPECT = constant("io/github/distlock/aop/weaving/LockAspect");

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
	 * Return whether the lock is woven into a method. A weaver must have changed the
	 * method, and the pointcut of {@link LockAspect} must select it. In addition, either
	 * the compiler has woven that aspect into the class, or a weaver has changed the
	 * method when the class was loaded: such a weaver reads the {@code META-INF/aop.xml}
	 * of the library. A method that the AspectJ compiler has changed only for other
	 * aspects is not locked.
	 * @param method the method
	 * @return whether the method is locked
	 */
	public static boolean isLocked(Method method) {
		List<Method> bodies = bodies(method);
		if (bodies.isEmpty() || !isSelected(method)) {
			return false;
		}
		byte[] file = classFile(method.getDeclaringClass());
		return file != null && (contains(file, ASPECT)
				|| bodies.stream().anyMatch((body) -> !contains(file, constant(body.getName()))));
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

	/**
	 * The pointcut of {@link LockAspect}. The annotation of a type also holds for methods
	 * that override or implement a method of that type.
	 */
	private static boolean isSelected(Method method) {
		int modifiers = method.getModifiers();
		return isAnnotated(method) || Modifier.isPublic(modifiers) && !Modifier.isStatic(modifiers)
				&& declaringTypes(method).anyMatch(LockWeaving::isAnnotated);
	}

	private static Stream<Class<?>> declaringTypes(Method method) {
		Class<?> type = method.getDeclaringClass();
		Stream<Class<?>> interfaces = ClassUtils.getAllInterfacesForClassAsSet(type).stream();
		Stream<Class<?>> classes = Stream.iterate(type, Objects::nonNull, Class::getSuperclass);
		return Stream.concat(classes, interfaces)
			.filter((one) -> Arrays.stream(one.getDeclaredMethods())
				.anyMatch((declared) -> declared.getName().equals(method.getName())
						&& Modifier.isPublic(declared.getModifiers())
						&& Arrays.equals(declared.getParameterTypes(), method.getParameterTypes())));
	}

	/**
	 * Subclasses inherit the annotation itself, but not one that is annotated with it.
	 */
	private static boolean isAnnotated(AnnotatedElement element) {
		return element.isAnnotationPresent(DistributedLock.class) || element.isAnnotationPresent(DistributedLocks.class)
				|| Arrays.stream(element.getDeclaredAnnotations())
					.anyMatch((one) -> one.annotationType().isAnnotationPresent(DistributedLock.class));
	}

	/** The compiled class, without the changes of a weaver at load time. */
	private static byte @Nullable [] classFile(Class<?> type) {
		try (InputStream in = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
			return (in != null) ? in.readAllBytes() : null;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot read the class file of " + type.getName(), ex);
		}
	}

	/** A text in the constant pool of a class file: tag 1, length, characters. */
	private static byte[] constant(String text) {
		try {
			ByteArrayOutputStream bytes = new ByteArrayOutputStream();
			DataOutputStream out = new DataOutputStream(bytes);
			out.writeByte(1);
			out.writeUTF(text);
			return bytes.toByteArray();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean contains(byte[] file, byte[] constant) {
		for (int start = 0; start + constant.length <= file.length; start++) {
			if (Arrays.equals(file, start, start + constant.length, constant, 0, constant.length)) {
				return true;
			}
		}
		return false;
	}

}
