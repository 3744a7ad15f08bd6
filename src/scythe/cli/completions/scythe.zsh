#compdef scythe
# zsh: what may come next after `scythe`, asked of scythe itself
_scythe() {
    local line said
    local -a lines values
    lines=("${(@f)$(_SCYTHE_COMPLETE=1 ${(Q)words[1]/#\~/$HOME} "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    case $lines[1] in
        files) _files; return ;;
        folders) _files -/; return ;;
    esac
    for line in "${(@)lines[2,-1]}"; do
        said=${line#*$'\t'}
        values+=("${${line%%$'\t'*}//:/\\:}${said:+:$said}")
    done
    _describe -V 'scythe' values
}
if [[ $funcstack[1] == _scythe ]]; then
    _scythe "$@"
else
    compdef _scythe scythe
fi
