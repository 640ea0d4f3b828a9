# Prints the op, the key and the document of each record on standard input, with U+0001 between them, which occurs in no
# JSON text. The key is the id as sent, of which only the form of strings is made the same; a document without an id is its
# own key. In the document, what warehouses refuse is replaced: NUL and half of a surrogate pair by U+FFFD, and a number
# that is too large for a double by its text.
use strict;
use warnings;

my $id_field = shift // 'id';
my %short = (8 => 'b', 9 => 't', 10 => 'n', 12 => 'f', 13 => 'r');

# A character as JSON.stringify writes it in a string.
sub written {
  my $code = shift;
  return '\\' . chr $code if $code == 0x22 || $code == 0x5c;
  return "\\$short{$code}" if exists $short{$code};
  return sprintf '\\u%04x', $code if $code < 0x20 || ($code >= 0xd800 && $code < 0xe000);
  utf8::encode(my $bytes = chr $code);
  return $bytes;
}

sub normalized {
  my $string = shift;
  $string =~ s{\\u([dD][89abAB]..)\\u([dD][c-fC-F]..)|\\u(....)|\\(.)}{
    defined $1 ? written(0x10000 + ((hex($1) - 0xd800) << 10) + hex($2) - 0xdc00)
      : defined $3 ? written(hex $3)
      : $4 eq '/' ? '/' : "\\$4"
  }ge;
  return $string;
}

# The text with x for each byte in a string.
sub outline {
  my $text = shift;
  $text =~ s/\\./xx/g;
  $text =~ s/"([^"]*)"/'"' . 'x' x length($1) . '"'/ge;
  return $text;
}

# The values of an object by name, as they were sent. Of several with a name, the last one counts.
sub members {
  my $object = shift;
  my $outline = outline($object);
  $outline =~ s/\{/ /;
  $outline =~ s/\}\s*$/ /;
  1 while $outline =~ s/([{\[][^{}\[\]]*[}\]])/'x' x length $1/ge;
  my %values;
  while ($outline =~ /"(x*)"\s*:\s*([^\s,]+)/g) {
    my $name = normalized(substr $object, $-[1], $+[1] - $-[1]);
    $values{$name} = substr $object, $-[2], $+[2] - $-[2];
  }
  return \%values;
}

sub with_numbers_as_text {
  my $document = shift;
  my $outline = outline($document);
  my @large;
  while ($outline =~ /(-?[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?)/g) {
    push @large, [$-[1], $+[1] - $-[1]] if abs($1) == 9**9**9;
  }
  for (reverse @large) {
    my ($start, $length) = @$_;
    substr $document, $start, $length, '"' . substr($document, $start, $length) . '"';
  }
  return $document;
}

while (my $line = <STDIN>) {
  chomp $line;
  my $record = members($line);
  my ($op) = ($record->{op} // '') =~ /^"([curd])"$/
    or die "A record has an unknown op: a newer release of Longshore wrote it.\n";
  my $document = $record->{after} // $record->{before};
  my $id = $record->{id} // members($document)->{$id_field} // 'null';
  my $key = $id =~ /^(?:null$|[{\[])/ ? $document : normalized($id);
  $document =~ s/(\\\\|\\ud[89ab]..\\ud[c-f]..)|\\ud[89a-f]..|\\u0000/$1 \/\/ "\\ufffd"/gie;
  $document = with_numbers_as_text($document) if $document =~ /[eE]\+?[0-9]{3}|[0-9]{309}/;
  print join("\x01", $op, $key, $document), "\n";
}
