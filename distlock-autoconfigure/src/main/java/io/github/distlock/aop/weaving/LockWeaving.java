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
 * Evidence of a weaver in the class of an annotated method. The weaver moves the body of
 * a method around which there is advice to another method, whichever aspect the advice is
 * of. So a body alone does not prove that the method is locked.
 */
public final class LockWeaving {

	/** Where the weaver puts the body of a method around which there is advice. */
	private static final String BODY = "_aroundBody";

	/** The name of the aspect in a class file that refers to it. */
	private static final byte[] ASPECT = constant("io/github/distlock/aop/weaving/LockAspect");

	private LockWeaving() {
	}

	/**
	 * Return whether the weaver has put advice of any aspect around a method.
	 */
	public static boolean isWoven(Method method) {
		return !bodies(method).isEmpty();
	}

	/**
	 * Return whether the lock is woven into a method: the weaver has changed it, the
	 * pointcut of {@link LockAspect} selects it, and either the compiler has woven that
	 * aspect into the class, or a weaver has changed the method when the class was
	 * loaded. Such a weaver reads the {@code META-INF/aop.xml} of the library. A method
	 * that the AspectJ compiler has changed for other aspects only is not locked.
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

	/** The class as it was compiled: without what a weaver adds when it is loaded. */
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

	private static boolean contains(byte[] file, byte[] wanted) {
		for (int start = 0; start + wanted.length <= file.length; start++) {
			if (Arrays.equals(file, start, start + wanted.length, wanted, 0, wanted.length)) {
				return true;
			}
		}
		return false;
	}

}
