package io.github.distlock.structure;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.jspecify.annotations.Nullable;

/**
 * The length of the byte code of each method, in bytes, as the compiler wrote it to the
 * class file.
 */
final class CodeLengths {

	private final Map<String, Map<String, Integer>> byType = new HashMap<>();

	int of(String type, String method, String descriptor) {
		return Objects.requireNonNull(this.byType.computeIfAbsent(type, CodeLengths::read).get(method + descriptor));
	}

	private static Map<String, Integer> read(String type) {
		Map<String, Integer> lengths = new HashMap<>();
		String file = "/" + type.replace('.', '/') + ".class";
		try (InputStream in = Objects.requireNonNull(CodeLengths.class.getResourceAsStream(file))) {
			new ClassReader(in).accept(new Methods(lengths), 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return lengths;
	}

	/** Writes each method again, since only a writer knows the positions in the code. */
	private static final class Methods extends ClassVisitor {

		private final Map<String, Integer> lengths;

		Methods(Map<String, Integer> lengths) {
			super(Opcodes.ASM9, new ClassWriter(0));
			this.lengths = lengths;
		}

		@Override
		public MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
				String @Nullable [] exceptions) {
			return new MethodVisitor(Opcodes.ASM9, super.visitMethod(access, name, descriptor, signature, exceptions)) {

				@Override
				public void visitMaxs(int maxStack, int maxLocals) {
					Label end = new Label();
					visitLabel(end);
					Methods.this.lengths.put(name + descriptor, end.getOffset());
					super.visitMaxs(maxStack, maxLocals);
				}

			};
		}

	}

}
